<?php

declare(strict_types=1);

namespace Topup\Exception;

/** The body is larger than 256 KiB. */
class PayloadTooLarge extends ApiException
{
}
