<?php

// A shop in one file: php -S 127.0.0.1:8080 examples/shop.php. It orders, waits for the webhook, and delivers.

declare(strict_types=1);

require getenv('AUTOLOAD') ?: __DIR__ . '/../vendor/autoload.php';

use GuzzleHttp\Client as Guzzle;
use GuzzleHttp\Psr7\HttpFactory;
use Topup\Exception\{ApiException, InsufficientBalance, InvalidWebhook, TransportException};
use Topup\{Client, WebhookVerifier};

$factory = new HttpFactory();
$topup = new Client(getenv('TOPUP_URL'), getenv('TOPUP_API_KEY'), new Guzzle(['timeout' => 10]), $factory, $factory);
$file = static fn (string $id): string => getenv('SHOP_DIR') . '/' . hash('sha256', $id) . '.json';
$save = static fn (string $id, array $sale) => file_put_contents($file($id), json_encode($sale), LOCK_EX);
$find = static fn (string $id): array => is_file($file($id)) ? json_decode(file_get_contents($file($id)), true) : [];

$checkout = static function (array $cart) use ($topup, $file, $find, $save): array {
    $id = "cart-{$cart['id']}";
    // The sale is stored before the order: a cart that is sent again, even after a crash, is the same sale and the same order.
    ($isKnown = $find($id) !== []) || $save($id, ['state' => 'ordering'] + $cart);
    try {
        $topup->orders->create(['reference_id' => $id, 'max_total_amount' => $find($id)['price']] + $find($id)['order']);
    } catch (ApiException|TransportException $problem) {
        // Only a refusal ends the sale. After any other error the order may exist, and an earlier request may have placed it.
        $isRefused = in_array($problem->getCode(), [400, 401, 403, 404, 409, 413, 415], true);
        if (!$isKnown && ($isRefused || $problem instanceof InsufficientBalance)) {
            unlink($file($id));
            return [$isRefused ? 422 : 503, ['message' => $isRefused ? $problem->getMessage() : 'sold out for the moment']];
        }
    }
    return [202, ['id' => $id]];
};

$webhook = static function () use ($find, $save, $topup): array {
    try {
        $event = (new WebhookVerifier(getenv('WEBHOOK_SECRET')))->verify(file_get_contents('php://input'), $_SERVER);
    } catch (InvalidWebhook $problem) {
        return [400, ['message' => $problem->getMessage()]];
    }
    $id = $event['data']['reference_id'] ?? '';
    // An event may arrive twice, or be about other sales.
    if (str_starts_with($event['event'], 'order.') && ($find($id)['state'] ?? '') === 'ordering') {
        $order = $topup->orders->get($id);
        $save($id, ['state' => $order['status'], 'codes' => array_column($order['items'], 'deliveries')] + $find($id));
    }
    return [200, []];
};

[$status, $answer] = match ("{$_SERVER['REQUEST_METHOD']} " . strtok($_SERVER['REQUEST_URI'], '?')) {
    'POST /checkout' => $checkout(json_decode(file_get_contents('php://input'), true)),
    'POST /webhooks/topup' => $webhook(),
    'GET /sale' => [200, $find($_GET['id'] ?? '')],
    default => [404, []],
};
http_response_code($status);
header('Content-Type: application/json');
echo json_encode((object) $answer);
