<?php

declare(strict_types=1);

namespace Topup;

/** How calls are repeated whose answer says "later", or that got none. */
final class Retries
{
    /** @var \Closure(float): void */
    private readonly \Closure $sleep;

    /**
     * @param int $times how often a call is repeated at most
     * @param float $firstDelay seconds before the first repeat, doubling from then on; up to half of it is added at random
     * @param float $longestDelay seconds; an answer that asks for a longer wait is thrown rather than waited for
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
     * @param int $repeat which repeat comes, counted from 1
     * @param float|null $asked seconds that the answer asked for; null where it said nothing
     * @return float|null seconds; null when the call is not to be repeated
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
