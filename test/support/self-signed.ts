/**
 * A certificate for localhost and 127.0.0.1 that nobody has signed but itself, valid for a hundred years, and its key: they
 * guard nothing. Made by: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500
 */
export const selfSigned = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbv5VBreQZG0umNcW
VHYJrkwnx4O1MCtnk6fZtWecpmKhRANCAASGacbeHCN+9omD/vu6KrGSyHQrr+xD
16kUE2AHZncI1wCtc5vrtJaChZAlmLwJcCAfo31AY/EmnEvTfSJ1WRGL
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUU8RLNjQOTrrrH5TPFjqewWe8o4wwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA5MDkwN1oYDzIxMjYxMDI4
MDkwOTA3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASGacbeHCN+9omD/vu6KrGSyHQrr+xD16kUE2AHZncI1wCtc5vrtJaC
hZAlmLwJcCAfo31AY/EmnEvTfSJ1WRGLo28wbTAdBgNVHQ4EFgQUcBPUoZKUA89E
agn/U9HR5f1c1akwHwYDVR0jBBgwFoAUcBPUoZKUA89Eagn/U9HR5f1c1akwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAOd21sIzZt4ArgSpKu4ODZ+OHDWe4guCZYjbfYUCjBkNAiBZ
UIDxZMN2Ng3eoJ2jMzrfJbvXKXOGbMza641eJ6jFAA==
-----END CERTIFICATE-----`,
};
