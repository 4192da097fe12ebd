<?php

declare(strict_types=1);

namespace Topup\Exception;

/** Something went wrong in the service. */
class InternalError extends ApiException
{
}
