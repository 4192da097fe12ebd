<?php

declare(strict_types=1);

namespace Topup\Exception;

/** The API key is missing or not valid (any more). */
class Unauthorized extends ApiException
{
}
