# In the test machine.
# shellcheck shell=bash

# configuration FILE SETTING...: an openssl.cnf with the provider.
configuration() {
    local file=$1
    shift
    {
        printf '%s\n' 'openssl_conf = all' '[all]' 'providers = providers' '[providers]' 'default = software' 'outboard = hardware' \
            '[software]' 'activate = 1' '[hardware]' 'module = /usr/local/lib/outboard/outboard.so' 'activate = 1'
        printf '%s\n' "$@"
    } >"$file"
}
