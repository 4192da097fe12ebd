<?php

declare(strict_types=1);

namespace Topup;

/** @internal */
final class Path
{
    /**
     * The path of a resource with a name. HTTP clients resolve `.`, `..` and an empty name, encoded or not, to another path, so
     * the answer would be of another resource. The service gives no resource such a name.
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
