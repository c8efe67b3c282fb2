/** Components shared by the built-in tabs; see README.md. */
export * from './base';
export * from './cards';
export * from './last_release';
