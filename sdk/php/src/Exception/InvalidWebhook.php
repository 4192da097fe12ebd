<?php

declare(strict_types=1);

namespace Topup\Exception;

/** What arrived is not a webhook of the service, or is too old: answer 400. */
class InvalidWebhook extends TopupException
{
}
