<?php

use App\Http\Controllers\TopupController;
use Illuminate\Support\Facades\Route;

Route::post('/checkout', [TopupController::class, 'checkout']);
Route::get('/sales/{reference}', [TopupController::class, 'show']);
Route::post('/webhooks/topup', [TopupController::class, 'webhook']);
