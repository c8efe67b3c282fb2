/** Answers for the host half of the Findings tab in a snapshot: the findings of its runs as they were. */
import { API, type Snapshot } from '@insight-host/api';

export default {
  apiVersion: API,
  open(packed) {
    const answer: unknown = JSON.parse(new TextDecoder().decode(packed));
    return {
      series: new Map(),
      answer: (route) => (/^(recent_)?findings$/.test(route) ? Response.json(answer) : null),
    };
  },
} satisfies Snapshot;
