<?php

declare(strict_types=1);

namespace Topup\Exception;

/** More requests per second than the key may make. */
class TooManyRequests extends ApiException
{
}
