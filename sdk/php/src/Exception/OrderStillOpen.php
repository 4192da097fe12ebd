<?php

declare(strict_types=1);

namespace Topup\Exception;

/** The order had not ended in time. It goes on: follow it by its reference, or wait for its webhook. */
class OrderStillOpen extends TopupException
{
    /** @param array<string, mixed> $order as it stood last */
    public function __construct(public readonly array $order, float $seconds)
    {
        parent::__construct("order {$order['reference_id']} has not ended within {$seconds} s");
    }
}
