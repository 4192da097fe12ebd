<?php

declare(strict_types=1);

namespace Topup\Exception;

/** The order costs more than the wallet has available: nothing was charged. */
class InsufficientBalance extends ServiceUnavailable
{
}
