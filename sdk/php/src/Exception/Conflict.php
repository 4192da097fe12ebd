<?php

declare(strict_types=1);

namespace Topup\Exception;

/** The present state forbids it. */
class Conflict extends ApiException
{
}
