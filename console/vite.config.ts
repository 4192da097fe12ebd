import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react-swc';
import { defineConfig, type Plugin } from 'vite';

/** What the process serves beside each file, to browsers that accept it. */
const COMPRESSED = /\.(js|css|svg|json)$/;
const MIN_BYTES = 1024;

function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    apply: 'build',
    writeBundle({ dir = '' }) {
      const assets = path.join(dir, 'assets');
      for (const name of readdirSync(assets).filter((file) => COMPRESSED.test(file))) {
        const file = path.join(assets, name);
        const content = readFileSync(file);
        if (content.length < MIN_BYTES) continue;
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
        writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
      }
    },
  };
}

export default defineConfig(({ command }) => {
  // With the NODE_ENV of a test, React's development build would be packed, half as large again.
  process.env.NODE_ENV = command === 'build' ? 'production' : 'development';
  return {
    plugins: [react(), compressAssets()],
    build: {
      outDir: '../dist/console',
      emptyOutDir: true,
      manifest: true,
      // Inlined images would need no request, but each would be in every copy of its script.
      assetsInlineLimit: 0,
      target: 'es2022',
    },
    server: {
      port: 5173,
      strictPort: true,
      // The process refuses what another origin sends, and Vite is one.
      proxy: {
        '/api': {
          target: process.env.CONSOLE_URL ?? 'http://127.0.0.1:3100',
          changeOrigin: true,
          configure: (proxy) => {
            proxy.on('proxyReq', (request) => request.removeHeader('origin'));
          },
        },
      },
    },
  };
});
