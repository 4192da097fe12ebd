<?php

declare(strict_types=1);

namespace Topup\Resource;

use Topup\Transport;

final class Players
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Checks whether a player exists, before you order.
     * @param array<string, mixed> $player `sku`, `user_id`, and `server_id` and `character_id` where the product needs them
     * @return array{verdict: string, name: string|null} the verdict is "valid", "invalid" or "unknown"
     */
    public function check(array $player): array
    {
        return $this->transport->call('POST', '/v1/players/check', $player);
    }
}
