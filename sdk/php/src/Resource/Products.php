<?php

declare(strict_types=1);

namespace Topup\Resource;

use Topup\Path;
use Topup\Transport;

final class Products
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /** @return \Generator<int, array<string, mixed>> in the order in which they were added */
    public function list(): \Generator
    {
        return $this->transport->pages('/v1/products', []);
    }

    /** @return array<string, mixed> */
    public function get(string $sku): array
    {
        return $this->transport->get(Path::to('/v1/products', 'sku', $sku));
    }
}
