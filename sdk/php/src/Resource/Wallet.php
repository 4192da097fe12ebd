<?php

declare(strict_types=1);

namespace Topup\Resource;

use Topup\Transport;

final class Wallet
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /** @return array<string, mixed> `currency`, `available_amount`, `held_amount`, `updated_at` */
    public function get(): array
    {
        return $this->transport->get('/v1/wallet');
    }

    /**
     * The movements of the available balance, newest first.
     * @return \Generator<int, array<string, mixed>>
     */
    public function entries(): \Generator
    {
        return $this->transport->pages('/v1/wallet/entries', []);
    }
}
