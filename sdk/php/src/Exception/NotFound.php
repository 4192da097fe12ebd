<?php

declare(strict_types=1);

namespace Topup\Exception;

/** There is no such order, product, webhook, event or path. */
class NotFound extends ApiException
{
}
