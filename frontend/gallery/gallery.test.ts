import { expect, it } from 'vitest';
import { codeOf } from './gallery';

const source = `import { Button } from '@insight-host/kit';
import {
  EditCell,
  Table,
  type Sort,
} from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { given } from './given';

export function Lines(): JSX.Element {
  return <Table sort={[] as Sort[]} given={given} />;
}
`;

it('shows the imports that an example needs, with the module that each is from', () => {
  expect(codeOf(source, 'Lines').split('\n').slice(0, 3)).toEqual([
    "import { Table } from '@insight-host/kit/table';",
    '',
    'function Lines(): JSX.Element {',
  ]);
});
