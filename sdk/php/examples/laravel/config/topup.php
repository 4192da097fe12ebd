<?php

return [
    'url' => env('TOPUP_URL'),
    'key' => env('TOPUP_API_KEY'),
    'webhook_secret' => env('WEBHOOK_SECRET'),
];
