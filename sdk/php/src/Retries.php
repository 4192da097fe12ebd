<?php

declare(strict_types=1);

namespace Topup;

/** How calls are retried that got no answer, or an answer that asks for a later retry. */
final class Retries
{
    /** @var \Closure(float): void */
    private readonly \Closure $sleep;

    /**
     * @param int $times the most retries of a call
     * @param float $firstDelay seconds before the first repeat, doubling from then on; up to half of it is added at random
     * @param float $longestDelay seconds; if an answer asks for a longer wait, the call fails
     * @param callable(float): void|null $sleep waits for so many seconds; usleep() unless given
     */
    public function __construct(
        public readonly int $times = 3,
        public readonly float $firstDelay = 0.5,
        public readonly float $longestDelay = 60.0,
        ?callable $sleep = null,
    ) {
        $this->sleep = $sleep === null
            ? static fn (float $seconds) => usleep((int) round($seconds * 1_000_000))
            : $sleep(...);
    }

    public function wait(float $seconds): void
    {
        ($this->sleep)($seconds);
    }

    /**
     * @param int $repeat the number of the retry, from 1
     * @param float|null $asked seconds of `Retry-After`; null without one
     * @return float|null seconds; null for no retry
     */
    public function delayBefore(int $repeat, ?float $asked): ?float
    {
        if ($repeat > $this->times || ($asked ?? 0.0) > $this->longestDelay) {
            return null;
        }
        $own = min($this->firstDelay * 2 ** ($repeat - 1), $this->longestDelay);
        return max($asked ?? 0.0, $own * (1 + random_int(0, 500) / 1000));
    }
}
