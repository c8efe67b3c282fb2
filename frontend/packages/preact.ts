/** The page's one Preact with its signals: served under five names, one file. */
export * from 'preact';
export * from 'preact/hooks';
export * from 'preact/jsx-runtime';
export * from '@preact/signals';
