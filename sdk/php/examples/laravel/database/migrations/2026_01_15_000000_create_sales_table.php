<?php

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Schema;

return new class extends Migration
{
    public function up(): void
    {
        Schema::create('sales', static function (Blueprint $table): void {
            $table->id();
            $table->string('reference')->unique();
            $table->string('sku');
            $table->string('player');
            $table->string('server')->nullable();
            $table->string('price');
            $table->string('state');
            $table->json('codes')->nullable();
            $table->timestamps();
        });
    }
};
