<?php

declare(strict_types=1);

namespace Topup\Exception;

/** No answer came, or none that can be read: the request may have been carried out. */
class TransportException extends TopupException
{
}
