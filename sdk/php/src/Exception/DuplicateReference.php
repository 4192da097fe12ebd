<?php

declare(strict_types=1);

namespace Topup\Exception;

/** The reference_id was used for an order with other content: nothing was charged. */
class DuplicateReference extends ApiException
{
}
