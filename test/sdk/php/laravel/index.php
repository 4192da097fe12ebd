<?php

// php -S ADDRESS index.php: the example shop in an application of Laravel, with sessions and the check of CSRF tokens as its
// group `web` has them. LARAVEL is the folder of Debian's packages, APP_DIR an empty folder of the shop's own.

declare(strict_types=1);

use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Http\Kernel as KernelContract;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Bootstrap\BootProviders;
use Illuminate\Foundation\Exceptions\Handler;
use Illuminate\Foundation\Http\Kernel;
use Illuminate\Foundation\Http\Middleware\VerifyCsrfToken;
use Illuminate\Http\Request;
use Illuminate\Routing\Middleware\SubstituteBindings;
use Illuminate\Session\Middleware\StartSession;
use Illuminate\Support\Facades\Facade;
use Illuminate\Support\Facades\Route;

// Laravel 8 is older than this PHP.
error_reporting(E_ALL & ~E_DEPRECATED);
const EXAMPLE = __DIR__ . '/../../../../sdk/php/examples/laravel';
define('DATABASE', getenv('APP_DIR') . '/shop.sqlite');
set_include_path(getenv('LARAVEL'));
foreach (['Illuminate', 'GuzzleHttp/Psr7', 'GuzzleHttp'] as $folder) {
    require_once "{$folder}/autoload.php";
}
spl_autoload_register(static function (string $class): void {
    // Debian's own loader does not know Foundation.
    $folders = ['Topup\\' => EXAMPLE . '/../../src/', 'App\\' => EXAMPLE . '/app/', '' => getenv('LARAVEL') . '/'];
    foreach ($folders as $prefix => $folder) {
        $file = $folder . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
        if (str_starts_with($class, $prefix) && is_file($file)) {
            require $file;
            return;
        }
    }
});

final class ShopCsrfToken extends VerifyCsrfToken
{
    protected $except = ['webhooks/topup'];
}

final class ShopKernel extends Kernel
{
    protected $middlewareGroups = ['web' => [StartSession::class, ShopCsrfToken::class, SubstituteBindings::class]];
    protected $bootstrappers = [BootProviders::class];
}

$app = new Application(getenv('APP_DIR'));
$app->singleton(KernelContract::class, ShopKernel::class);
$app->singleton(ExceptionHandler::class, Handler::class);
$app->instance('config', new Illuminate\Config\Repository([
    'app' => ['key' => str_repeat('k', 32), 'cipher' => 'AES-256-CBC', 'locale' => 'en', 'fallback_locale' => 'en'],
    'database' => [
        'default' => 'sqlite',
        'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' => DATABASE, 'prefix' => '']],
    ],
    'session' => [
        ...['driver' => 'file', 'files' => getenv('APP_DIR'), 'lifetime' => 60, 'expire_on_close' => false],
        ...['lottery' => [0, 100], 'cookie' => 'session', 'path' => '/', 'domain' => null, 'secure' => false],
    ],
    'logging' => ['default' => 'errorlog', 'channels' => ['errorlog' => ['driver' => 'errorlog']]],
    'view' => ['paths' => [], 'compiled' => getenv('APP_DIR')],
    'cache' => ['default' => 'array', 'stores' => ['array' => ['driver' => 'array']]],
    'topup' => require EXAMPLE . '/config/topup.php',
]));
Facade::setFacadeApplication($app);
$providers = [
    Illuminate\Filesystem\FilesystemServiceProvider::class,
    Illuminate\Encryption\EncryptionServiceProvider::class,
    Illuminate\Cookie\CookieServiceProvider::class,
    Illuminate\Session\SessionServiceProvider::class,
    Illuminate\Database\DatabaseServiceProvider::class,
    Illuminate\Translation\TranslationServiceProvider::class,
    Illuminate\Validation\ValidationServiceProvider::class,
    Illuminate\View\ViewServiceProvider::class,
    Illuminate\Foundation\Providers\FoundationServiceProvider::class,
    App\Providers\TopupServiceProvider::class,
];
foreach ($providers as $provider) {
    $app->register($provider);
}
Route::middleware('web')->group(EXAMPLE . '/routes/web.php');
// As a page of the shop would hand it to its form.
Route::middleware('web')->get('/token', static fn () => csrf_token());

if (!is_file(DATABASE)) {
    touch(DATABASE);
    (require glob(EXAMPLE . '/database/migrations/*.php')[0])->up();
}
$kernel = $app->make(KernelContract::class);
$response = $kernel->handle($request = Request::capture())->send();
$kernel->terminate($request, $response);
