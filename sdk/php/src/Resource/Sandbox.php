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
     * Adds money to the wallet of a sandbox merchant; live keys get a NotFound.
     * @param string $amount in baht, such as "1000.00"; each call adds it again
     * @return array<string, mixed> the wallet
     */
    public function credit(string $amount): array
    {
        return $this->transport->call('POST', '/v1/sandbox/wallet/credit', ['amount' => $amount], mayRepeat: false);
    }
}
