<?php

declare(strict_types=1);

namespace Topup\Exception;

/** The body is not JSON by its content type. */
class UnsupportedMediaType extends ApiException
{
}
