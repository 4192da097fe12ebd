<?php

namespace App\Http\Controllers;

use App\Models\Sale;
use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Routing\Controller;
use Topup\Client;
use Topup\Exception\BadRequest;
use Topup\Exception\InsufficientBalance;
use Topup\Exception\InvalidWebhook;
use Topup\WebhookVerifier;

class TopupController extends Controller
{
    public function checkout(Request $request, Client $topup): JsonResponse
    {
        $cart = $request->validate(['id' => 'required|uuid']);
        $order = $request->validate([
            'sku' => 'required|string',
            'price' => 'required|string',
            'player' => 'required|string',
            'server' => 'nullable|string',
        ]);
        // The sale is stored before the order: a cart that is sent again, even after a crash, is the same sale and the same order.
        $sale = Sale::firstOrCreate(['reference' => "cart-{$cart['id']}"], $order + ['state' => 'ordering']);
        try {
            $topup->orders->create([
                'reference_id' => $sale->reference,
                'user_id' => $sale->player,
                'server_id' => $sale->server,
                'items' => [['sku' => $sale->sku]],
                'max_total_amount' => $sale->price,
            ]);
        } catch (BadRequest $problem) {
            $sale->delete();
            return response()->json(['message' => $problem->getMessage()], 422);
        } catch (InsufficientBalance) {
            return response()->json(['message' => 'Sold out for the moment'], 503);
        }
        return response()->json(['reference' => $sale->reference], 202);
    }

    public function show(string $reference): Sale
    {
        return Sale::where('reference', $reference)->firstOrFail();
    }

    public function webhook(Request $request, WebhookVerifier $verifier, Client $topup): Response
    {
        try {
            $event = $verifier->verify($request->getContent(), $request->headers->all());
        } catch (InvalidWebhook) {
            return response('', 400);
        }
        // An event may arrive twice, or be about other sales: only a sale that is still open is delivered.
        $sale = Sale::where(['reference' => $event['data']['reference_id'] ?? '', 'state' => 'ordering'])->first();
        if ($sale !== null && in_array($event['event'], ['order.completed', 'order.failed'], true)) {
            $order = $topup->orders->get($sale->reference);
            $sale->update(['state' => $order['status'], 'codes' => $order['items'][0]['deliveries'] ?? null]);
        }
        return response()->noContent();
    }
}
