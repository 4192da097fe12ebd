<?php

declare(strict_types=1);

namespace Topup;

/** @internal */
final class Path
{
    /**
     * The path of what has a name. Every HTTP client takes `.` and `..` there, encoded or not, for the list or what is above
     * it, as it does no name at all: the service gives nothing such a name, and what it answered would be something else.
     * @throws \InvalidArgumentException
     */
    public static function to(string $list, string $what, string $name): string
    {
        if (in_array($name, ['', '.', '..'], true)) {
            throw new \InvalidArgumentException("{$what} must not be \"{$name}\": no URL leads to it");
        }
        return $list . '/' . rawurlencode($name);
    }
}
