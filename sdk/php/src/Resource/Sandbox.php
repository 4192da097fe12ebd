<?php

declare(strict_types=1);

namespace Topup\Resource;

use Topup\Transport;

final class Sandbox
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Gives the wallet of a sandbox merchant money; for live keys this is a NotFound.
     * @param string $amount in baht, such as "1000.00"; each call adds it once more
     * @return array<string, mixed> the wallet
     */
    public function credit(string $amount): array
    {
        return $this->transport->call('POST', '/v1/sandbox/wallet/credit', ['amount' => $amount], mayRepeat: false);
    }
}
