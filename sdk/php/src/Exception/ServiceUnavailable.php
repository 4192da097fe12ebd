<?php

declare(strict_types=1);

namespace Topup\Exception;

/** The service can't answer at the moment: the request may have been carried out. */
class ServiceUnavailable extends ApiException
{
}
