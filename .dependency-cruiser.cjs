/** The import arrows between feature modules: what each may import besides itself. */
const arrows = {
  core: [],
  database: ['core'],
  queues: ['core'],
  events: ['core', 'database'],
  merchants: ['core', 'database'],
  auth: ['merchants', 'core', 'database'],
  catalog: ['core', 'database', 'auth'],
  wallet: ['core', 'database', 'auth', 'events'],
  orders: ['core', 'database', 'queues', 'events', 'catalog', 'wallet', 'auth'],
  fulfilment: ['core', 'database', 'queues', 'orders', 'catalog'],
  webhooks: ['core', 'database', 'queues', 'events', 'auth'],
  simulator: [],
};

const between = Object.entries(arrows).map(([name, allowed]) => ({
  name: `arrows-of-${name}`,
  comment: `src/${name} may import only ${['itself', ...allowed].join(', ')}`,
  severity: 'error',
  from: { path: `^src/${name}/` },
  to: { path: '^src/', pathNot: `^src/(${[name, ...allowed].join('|')})/` },
}));

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-dev-dependencies-in-production',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/local|\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    ...between,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    moduleSystems: ['es6'],
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.d.ts'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
