<?php

// Stands in for Composer's autoloader and for Guzzle, so that the tests need nothing but PHP: of the interfaces of PSR-7,
// PSR-17 and PSR-18 there is what the library uses, and nothing more.

declare(strict_types=1);

namespace Psr\Http\Message {
    interface StreamInterface
    {
        public function __toString(): string;
    }

    interface RequestInterface
    {
        public function withHeader(string $name, $value): RequestInterface;

        public function withBody(StreamInterface $body): RequestInterface;
    }

    interface ResponseInterface
    {
        public function getStatusCode(): int;

        public function getHeaderLine(string $name): string;

        public function getBody(): StreamInterface;
    }

    interface RequestFactoryInterface
    {
        public function createRequest(string $method, $uri): RequestInterface;
    }

    interface StreamFactoryInterface
    {
        public function createStream(string $content = ''): StreamInterface;
    }
}

namespace Psr\Http\Client {
    use Psr\Http\Message\RequestInterface;
    use Psr\Http\Message\ResponseInterface;

    interface ClientExceptionInterface extends \Throwable
    {
    }

    interface ClientInterface
    {
        public function sendRequest(RequestInterface $request): ResponseInterface;
    }
}

namespace GuzzleHttp\Psr7 {
    use Psr\Http\Message\RequestFactoryInterface;
    use Psr\Http\Message\RequestInterface;
    use Psr\Http\Message\ResponseInterface;
    use Psr\Http\Message\StreamFactoryInterface;
    use Psr\Http\Message\StreamInterface;

    final class Stream implements StreamInterface
    {
        public function __construct(private readonly string $content)
        {
        }

        public function __toString(): string
        {
            return $this->content;
        }
    }

    final class Request implements RequestInterface
    {
        /** @var list<string> */
        public array $headers = [];
        public string $body = '';

        public function __construct(public readonly string $method, public readonly string $uri)
        {
        }

        public function withHeader(string $name, $value): RequestInterface
        {
            $other = clone $this;
            $other->headers[] = "{$name}: {$value}";
            return $other;
        }

        public function withBody(StreamInterface $body): RequestInterface
        {
            $other = clone $this;
            $other->body = (string) $body;
            return $other;
        }
    }

    final class Response implements ResponseInterface
    {
        /** @param array<string, string> $headers by name in lower case */
        public function __construct(
            private readonly int $status,
            private readonly array $headers,
            private readonly string $body,
        ) {
        }

        public function getStatusCode(): int
        {
            return $this->status;
        }

        public function getHeaderLine(string $name): string
        {
            return $this->headers[strtolower($name)] ?? '';
        }

        public function getBody(): StreamInterface
        {
            return new Stream($this->body);
        }
    }

    final class HttpFactory implements RequestFactoryInterface, StreamFactoryInterface
    {
        public function createRequest(string $method, $uri): RequestInterface
        {
            return new Request($method, $uri);
        }

        public function createStream(string $content = ''): StreamInterface
        {
            return new Stream($content);
        }
    }
}

namespace GuzzleHttp {
    use GuzzleHttp\Psr7\Request;
    use GuzzleHttp\Psr7\Response;
    use Psr\Http\Client\ClientExceptionInterface;
    use Psr\Http\Client\ClientInterface;
    use Psr\Http\Message\RequestInterface;
    use Psr\Http\Message\ResponseInterface;

    final class NoAnswer extends \RuntimeException implements ClientExceptionInterface
    {
    }

    final class Client implements ClientInterface
    {
        public function __construct(private readonly array $config)
        {
        }

        public function sendRequest(RequestInterface $request): ResponseInterface
        {
            assert($request instanceof Request);
            $options = [
                'method' => $request->method,
                'header' => [...$request->headers, 'Connection: close'],
                'content' => $request->body,
                'ignore_errors' => true,
                'follow_location' => 0,
                'timeout' => $this->config['timeout'],
            ];
            $body = @file_get_contents($request->uri, false, stream_context_create(['http' => $options]));
            $lines = $http_response_header ?? [];
            if ($body === false || preg_match('~^HTTP/\S+ (\d{3})~', $lines[0] ?? '', $status) !== 1) {
                throw new NoAnswer(error_get_last()['message'] ?? 'no answer');
            }
            $headers = [];
            foreach (array_slice($lines, 1) as $line) {
                [$name, $value] = explode(':', $line, 2);
                $headers[strtolower($name)] = trim($value);
            }
            return new Response((int) $status[1], $headers, $body);
        }
    }
}

namespace {
    // Whatever PHP warns of is a failure.
    set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
        if ((error_reporting() & $level) === 0) {
            return false;
        }
        throw new ErrorException($message, 0, $level, $file, $line);
    });
    spl_autoload_register(static function (string $class): void {
        if (str_starts_with($class, 'Topup\\')) {
            require __DIR__ . '/../../../sdk/php/src/' . str_replace('\\', '/', substr($class, 6)) . '.php';
        }
    });
}
