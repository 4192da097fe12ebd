<?php

declare(strict_types=1);

namespace Topup\Exception;

/** An error answer. Each code has an exception of its own; a code that this version does not know is this one. */
class ApiException extends TopupException
{
    private const BY_CODE = [
        'BAD_REQUEST' => BadRequest::class,
        'UNAUTHORIZED' => Unauthorized::class,
        'FORBIDDEN' => Forbidden::class,
        'NOT_FOUND' => NotFound::class,
        'REQUEST_TIMEOUT' => RequestTimeout::class,
        'DUPLICATE_REFERENCE' => DuplicateReference::class,
        'CONFLICT' => Conflict::class,
        'PAYLOAD_TOO_LARGE' => PayloadTooLarge::class,
        'UNSUPPORTED_MEDIA_TYPE' => UnsupportedMediaType::class,
        'TOO_MANY_REQUESTS' => TooManyRequests::class,
        'INTERNAL_ERROR' => InternalError::class,
        'SERVICE_UNAVAILABLE' => ServiceUnavailable::class,
    ];

    /**
     * @param int $status HTTP status
     * @param string|null $errorCode such as "BAD_REQUEST"; null where something else than the service answered
     * @param list<array{field: string, code: string, message: string}> $details one for each problem
     * @param string|null $requestId to name the request by, when you ask the operator
     * @param float|null $retryAfter seconds that the service asks to wait
     */
    final public function __construct(
        string $message,
        public readonly int $status,
        public readonly ?string $errorCode,
        public readonly array $details,
        public readonly ?string $requestId,
        public readonly ?float $retryAfter,
    ) {
        parent::__construct($message, $status);
    }

    /**
     * @internal
     * @param array<string, mixed>|null $body
     * @param array{requestId: string|null, retryAfter: float|null} $headers
     */
    public static function of(int $status, ?array $body, array $headers): self
    {
        $code = is_string($body['code'] ?? null) ? $body['code'] : null;
        $details = is_array($body['details'] ?? null) ? array_values(array_filter($body['details'], is_array(...))) : [];
        $message = is_string($body['message'] ?? null) ? $body['message'] : "HTTP {$status}";
        $class = self::BY_CODE[$code] ?? self::class;
        if (in_array('INSUFFICIENT_BALANCE', array_column($details, 'code'), true)) {
            $class = InsufficientBalance::class;
        }
        return new $class($message, $status, $code, $details, $headers['requestId'], $headers['retryAfter']);
    }

    /** Reasons of a 503 that stay for longer than a client waits. */
    private const LASTING = ['INSUFFICIENT_BALANCE', 'NO_CHANNEL', 'NO_FREE_AMOUNT'];

    /** Whether the wallet has too little for the order: top it up before you send the order again. */
    public function isInsufficientBalance(): bool
    {
        return $this instanceof InsufficientBalance;
    }

    /**
     * Whether the same request may well work in a moment.
     * @internal
     * @param bool $mayRepeat whether it may have been carried out already
     */
    public function isPassing(bool $mayRepeat): bool
    {
        if (array_intersect(self::LASTING, array_column($this->details, 'code')) !== []) {
            return false;
        }
        // Refused before anything was done.
        if ($this->status === 429) {
            return true;
        }
        return $mayRepeat && in_array($this->status, [408, 500, 502, 503, 504], true);
    }
}
