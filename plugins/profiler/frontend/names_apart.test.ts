import { expect, test } from 'vitest';
import { namesApart } from './names_apart';

const of = (...paths: readonly string[]): readonly string[] =>
  namesApart(
    paths.map((path) => ({ name: path.slice(path.lastIndexOf('/') + 1), scope: path.replace(/\/?[^/]*$/, '') })),
  );

test('a name that one operator has stays as it is', () => {
  expect(of('Default/net/fc1/MatMul-op0', 'Default/net/relu/ReLU-op0')).toEqual(['MatMul-op0', 'ReLU-op0']);
  expect(of('Default/net/fc1/MatMul-op0', 'Default/net/fc1/MatMul-op0')).toEqual(['MatMul-op0', 'MatMul-op0']);
});

test('operators that share a name have the end of their scope', () => {
  expect(of('Default/net/fc1/MatMul-op0', 'Default/net/fc2/MatMul-op0', 'MatMul-op0')).toEqual([
    'fc1/MatMul-op0',
    'fc2/MatMul-op0',
    'MatMul-op0',
  ]);
  expect(of('net/1/fc/MatMul-op0', 'net/2/fc/MatMul-op0', 'net/2/out/MatMul-op0')).toEqual([
    '1/fc/MatMul-op0',
    '2/fc/MatMul-op0',
    'out/MatMul-op0',
  ]);
  expect(of('fc/MatMul-op0', 'net/fc/MatMul-op0')).toEqual(['fc/MatMul-op0', 'net/fc/MatMul-op0']);
});
