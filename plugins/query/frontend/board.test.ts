import { Page } from '@insight-host/kit';
import { fakeContext } from '@insight-host/kit/testing';
import { expect, it, vi } from 'vitest';
import type { Answer } from './answer';
import { QueryBoard } from './board';

function answerOf(sql: string): Answer {
  return {
    columns: [{ name: 'sql', type: 'text' }],
    values: [[sql]],
    rows: 1,
    is_cut: false,
    read: { rows: 0, bytes: 0 },
    seconds: 0.1,
  };
}

function board(json: (sql: string, signal?: AbortSignal) => Promise<Answer>): { made: QueryBoard; asked: string[] } {
  const asked: string[] = [];
  const ctx = fakeContext([], {
    json: async (route, query) => {
      if (route === 'tables') return { tables: [] };
      const sql = String(query?.['sql']);
      if (sql.startsWith('select tag from series')) return answerOf('my loss');
      asked.push(sql);
      return json(sql);
    },
  });
  return { made: new QueryBoard(new Page(ctx)), asked };
}

it('asks nothing before there is a query, and knows a tag for examples', async () => {
  const { made, asked } = board(async (sql) => answerOf(sql));
  await vi.waitFor(() => expect(made.tag.value).toBe('my loss'));
  made.draft.value = '  ';
  made.run();
  expect(asked).toEqual([]);
  made.page.dispose();
});

it('asks what stands in the editor, and the same once more when it is run again', async () => {
  const { made, asked } = board(async (sql) => answerOf(sql));
  made.draft.value = ' select 1 ';
  made.run();
  await vi.waitFor(() => expect(made.answer.value?.values).toEqual([['select 1']]));
  made.run();
  await vi.waitFor(() => expect(made.busy.value).toBe(false));
  expect(asked).toEqual(['select 1', 'select 1']);
  expect(made.sql.value).toBe('select 1');
  made.page.dispose();
});

it('shows the answer of the latest query, whichever comes first', async () => {
  const answers = new Map<string, (answer: Answer) => void>();
  const { made } = board((sql) => new Promise((resolve) => answers.set(sql, resolve)));
  for (const sql of ['slow', 'fast']) {
    made.draft.value = sql;
    made.run();
  }
  await vi.waitFor(() => expect(answers.size).toBe(2));
  answers.get('fast')?.(answerOf('fast'));
  answers.get('slow')?.(answerOf('slow'));
  await vi.waitFor(() => expect(made.answer.value?.values).toEqual([['fast']]));
  await Promise.resolve();
  expect(made.answer.value?.values).toEqual([['fast']]);
  made.page.dispose();
});

it('says what is wrong, and is ready again after a stop', async () => {
  const { made } = board((sql) => (sql === 'bad' ? Promise.reject(new Error('no such table')) : new Promise(() => {})));
  made.draft.value = 'bad';
  made.run();
  await vi.waitFor(() => expect(made.failure.value).toBe('no such table'));
  made.draft.value = 'endless';
  made.run();
  expect([made.failure.value, made.busy.value]).toEqual(['', true]);
  made.stop();
  expect(made.busy.value).toBe(false);
  made.page.dispose();
});
