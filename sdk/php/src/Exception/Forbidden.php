<?php

declare(strict_types=1);

namespace Topup\Exception;

/** The merchant is suspended, or the key may not be used from this address. */
class Forbidden extends ApiException
{
}
