const { existsSync } = require('node:fs');
const path = require('node:path');

const packed = path.resolve(__dirname, '../../node_modules/.packed');

/**
 * Lets sources and tests import packages as `scripts/pack-for-tests.mjs` has packed them, where it has. Packages import
 * each other as ever.
 */
module.exports = (specifier, options) => {
  if (/^[@a-z]/.test(specifier) && !options.basedir.includes('node_modules')) {
    const file = path.join(packed, `${specifier}.mjs`);
    if (existsSync(file)) return file;
  }
  return options.defaultResolver(specifier, options);
};
