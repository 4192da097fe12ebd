<?php

declare(strict_types=1);

namespace Topup\Exception;

/** What every exception of this library is. */
class TopupException extends \RuntimeException
{
}
