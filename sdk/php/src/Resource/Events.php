<?php

declare(strict_types=1);

namespace Topup\Resource;

use Topup\Path;
use Topup\Transport;

final class Events
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * The events that webhooks carry, oldest first.
     * @param array<string, scalar|null> $filters `type`, and `after`: the id of the last event that you have seen
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $filters = []): \Generator
    {
        return $this->transport->pages('/v1/events', $filters, 'after');
    }

    /** @return array<string, mixed> */
    public function get(string $id): array
    {
        return $this->transport->get(Path::to('/v1/events', 'id', $id));
    }
}
