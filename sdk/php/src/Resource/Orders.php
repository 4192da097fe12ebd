<?php

declare(strict_types=1);

namespace Topup\Resource;

use Topup\Exception\OrderStillOpen;
use Topup\Path;
use Topup\Retries;
use Topup\Transport;

final class Orders
{
    private const FIRST_LOOK = 0.25;
    private const MAX_PAUSE = 5.0;

    /** @internal */
    public function __construct(private readonly Transport $transport, private readonly Retries $retries)
    {
    }

    /**
     * Places an order, or returns the one that the same request placed before. A repeated request is charged once.
     * @param array<string, mixed> $order `reference_id`, `user_id`, `items`, and further members of the API's request
     * @return array<string, mixed> the order as it stands
     */
    public function create(array $order): array
    {
        if (is_array($order['metadata'] ?? null)) {
            $order['metadata'] = (object) $order['metadata'];
        }
        return $this->transport->call('POST', '/v1/orders', $order);
    }

    /**
     * @return array<string, mixed>
     * @throws \InvalidArgumentException for `.` and `..`, which are no references
     */
    public function get(string $referenceId): array
    {
        return $this->transport->get(Path::to('/v1/orders', 'reference_id', $referenceId));
    }

    /**
     * All orders, newest first, loaded page by page while you iterate.
     * @param array<string, scalar|null> $filters such as `status`, `created_from`, `user_id`
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $filters = []): \Generator
    {
        return $this->transport->pages('/v1/orders', $filters);
    }

    /**
     * Places an order and reads it until it has ended.
     * @param array<string, mixed> $order as {@see create} takes it
     * @param float $seconds the longest wait
     * @return array<string, mixed> the order, `completed` or `failed`
     * @throws OrderStillOpen
     */
    public function createAndWait(array $order, float $seconds = 60.0): array
    {
        $placed = $this->create($order);
        $waited = 0.0;
        for ($pause = self::FIRST_LOOK; !in_array($placed['status'], ['completed', 'failed'], true);) {
            if ($waited >= $seconds) {
                throw new OrderStillOpen($placed, $seconds);
            }
            $pause = min($pause, $seconds - $waited);
            $this->retries->wait($pause);
            $waited += $pause;
            $pause = min($pause * 2, self::MAX_PAUSE);
            $placed = $this->get($placed['reference_id']);
        }
        // A repeated POST returns no codes.
        return $waited > 0.0 ? $placed : $this->get($placed['reference_id']);
    }
}
