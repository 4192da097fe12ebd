/** How swc makes JavaScript of the sources: for the build, for the tests, and for what runs a source at once. */
export default {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
  module: { type: 'es6' },
};
