"""Local mirrors of logdirs in remote stores: a file for each remote file, whose bytes are fetched by need."""
