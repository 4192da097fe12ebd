<?php

declare(strict_types=1);

namespace Topup\Resource;

use Topup\Path;
use Topup\Transport;

/** Payments into the wallet by QR code. */
final class Deposits
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Makes a deposit, or returns the one that the same request made before. Show its `qr_image` and `amount_to_pay`.
     * @param array<string, mixed> $deposit `reference_id`, `amount`, and further members of the API's request
     * @return array<string, mixed> the deposit as it stands
     */
    public function create(array $deposit): array
    {
        if (is_array($deposit['metadata'] ?? null)) {
            $deposit['metadata'] = (object) $deposit['metadata'];
        }
        return $this->transport->call('POST', '/v1/deposits', $deposit);
    }

    /**
     * @return array<string, mixed>
     * @throws \InvalidArgumentException for `.` and `..`, which are no references
     */
    public function get(string $referenceId): array
    {
        return $this->transport->get(Path::to('/v1/deposits', 'reference_id', $referenceId));
    }

    /**
     * All deposits, newest first, without `qr_image`, loaded page by page while you iterate.
     * @param array<string, scalar|null> $filters such as `status` and `created_from`
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $filters = []): \Generator
    {
        return $this->transport->pages('/v1/deposits', $filters);
    }

    /**
     * Ends the offer; a payment that is under way still counts.
     * @return array<string, mixed> the deposit
     */
    public function cancel(string $referenceId): array
    {
        return $this->transport->call('POST', Path::to('/v1/deposits', 'reference_id', $referenceId) . '/cancel');
    }

    /**
     * Presents the text of the QR code on the payer's slip, so that the payment is found sooner: see `slip` of the deposit.
     * @return array<string, mixed> the deposit
     */
    public function presentSlip(string $referenceId, string $payload): array
    {
        $path = Path::to('/v1/deposits', 'reference_id', $referenceId) . '/slip';
        return $this->transport->call('POST', $path, ['payload' => $payload]);
    }
}
