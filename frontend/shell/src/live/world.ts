/** The browser's side of the live connection. */
import { getJson, href } from '../data/http';
import type { LiveWorld, ServerChanges } from './connection';

export const browserWorld: LiveWorld = {
  poll: (since, signal) => getJson<ServerChanges>('data/changes', { since }, signal),
  stream: (since, on) => {
    const source = new EventSource(href('data/events', { since }));
    source.onopen = () => on.open();
    source.onerror = () => on.error();
    source.onmessage = (event) => {
      try {
        on.changes(JSON.parse(String(event.data)) as ServerChanges);
      } catch {
        on.error(); // a proxy that rewrites streams: polling still works
      }
    };
    return source;
  },
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
