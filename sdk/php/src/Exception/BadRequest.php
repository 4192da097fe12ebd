<?php

declare(strict_types=1);

namespace Topup\Exception;

/** A member is missing or wrong, or a product rule is broken: see {@see ApiException::$details}. */
class BadRequest extends ApiException
{
}
