<?php

declare(strict_types=1);

namespace Topup\Exception;

/** The request never finished arriving. */
class RequestTimeout extends ApiException
{
}
